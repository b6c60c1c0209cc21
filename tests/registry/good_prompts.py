"""Prompts as people write them, in which lint finds nothing; the cluster is 7401 and the window 2025-03-04 09:00 to 09:45 UTC."""

from __future__ import annotations

from typing import Final

GOOD_PROMPTS: Final = (
    # English
    "Please diagnose cluster 7401 between 2025-03-04T09:00:00Z and 2025-03-04T09:45:00Z. Users saw timeouts.",
    "Cluster 7401, 2025-03-04 09:00 to 09:45 UTC: writes were slow. Find the root cause.",
    "On March 4, 2025, from 09:00 to 09:45 UTC, cluster 7401 lost connections. Explain why.",
    "On 4 March 2025 between 9:00 am and 9:45 am (UTC) cluster 7401 served errors. What happened?",
    "2025/03/04 09:00-09:45 UTC, cluster 7401. TLS-1.3 is in use between all components. Investigate the handshake failures.",
    "Cluster 7401, 2025-03-04T09:00Z. Certificates use P-256 and SHA-256. Determine why clients could not connect.",
    "Timestamps follow ISO-8601 and RFC-3339. Analyse cluster 7401 from 2025-03-04T09:00:00+00:00 on, for 45 minutes.",
    "All text is UTF-8. Diagnose cluster 7401, window 2025-03-04T09:00:00.000Z/2025-03-04T09:45:00.000Z.",
    "The cluster 7401 in us-east-1 answered slowly at 2025-03-04 09:00:00 UTC; us-east-1a was fine. Identify the cause.",
    "During the COVID-19 dashboards' peak on 2025-03-04 at 09:00 UTC cluster 7401 was slow. Find out why.",
    "Cluster 7401 runs TiDB v8.5.2 with four stores. Between 2025-03-04T09:00:00Z and 2025-03-04T09:45:00Z QPS fell. Diagnose it.",
    "TiKV-3 and TIKV-2 restarted in cluster 7401 between 2025-03-04 09:00 and 2025-03-04 09:45 (UTC). Explain the restarts.",
    "Instances tidb-0, tidb-1 and pd-2 of cluster 7401 were up all the time. 2025-03-04 09:00Z to 09:45Z. Troubleshoot it.",
    "Clients got ERROR 1105 (HY000) and ERROR-9005 from cluster 7401 since 2025-03-04 09:00 UTC. Work out the reason.",
    "Clients got HTTP-503 and HTTP 500 answers. Cluster 7401, Mar 4 2025, 09:00 UTC. Please look into it.",
    "IPv4 only, 10.0.0.1:4000, port 10080 for status. Cluster 7401, 2025-03-04T09:00:00Z. Diagnose the resets.",
    "p99 rose from 40 ms to 1.5 s, the 99.9th percentile to 8.10 s. Cluster 7401, 2025-03-04 09:00Z. Find the cause.",
    "Region 1234 and store #4 were busy. Cluster 7401 from 2025-03-04T17:00:00+08:00 to 2025-03-04T17:45:00+08:00. Diagnose.",
    "Connection #123456 and region #2048 show up often. Cluster 7401, 2025-03-04T09:00:00Z. Please analyze this.",
    "The top 10 statements took 80% of the time. Cluster 7401, 1741078800 to 1741081500 (Unix seconds). Diagnose.",
    "We had this issue 3 times this week; no case 2 was like another. Cluster 7401, 2025-03-04 09:00 UTC. Root cause?  Tell us.",
    "There is an issue with cluster 7401: at 2025-03-04 09:45 UTC writes stopped. Please investigate.",
    "Pull the logs of cluster 7401 for 2025-03-04T09:00:00Z onward and assess them.",
    "Machines are AMD-64 and ARM-64 with DDR-3200 memory, disks nvme-0 and NVME-12. Cluster 7401, 2025-03-04 09:00Z. Diagnose.",
    "Ciphers: ECDHE-RSA-AES128-GCM-SHA256, CHACHA20-POLY1305, AES-256. Cluster 7401, 2025-03-04T09:00:00Z. Find the fault.",
    "Columns are utf8mb4 and GB-18030. On 2025-03-04 at 0900 UTC cluster 7401 failed imports. Determine why.",
    "Session 550E8400-E29B-41D4-A716-446655440000 hung in cluster 7401 at 2025-03-04T09:00:00Z. Explain.",
    "MySQL clients log MY-010914 and ORA-00942. Cluster 7401, 2025-03-04 09:00:00Z. Diagnose what the database did.",
    "Read https://docs.example.org/manual/stable/overview first. Cluster 7401, 2025-03-04T09:00:00Z. Then diagnose it.",
    "Cluster 7401, 04/03/2025 09:00 UTC. The load doubled after 12:30 the day before. Identify what broke.",
    # code blocks
    "Diagnose cluster 7401 from 2025-03-04T09:00Z.\n\n```sql\nSELECT /*+ h(t) */ v FROM t_1024 WHERE k = 'A-1' LIMIT 1;\n```\n",
    "Diagnose cluster 7401, 2025-03-04T09:00Z.\n\n```\n# 1 store\n[2025/03/04 09:00:01] [WARN] [a.rs:1234] [id=2048]\n```\n",
    "Diagnose cluster 7401 from 2025-03-04T09:00:00Z.\n\n```yaml\nraftstore:\n  store-pool-size: 4\n  color: '#112233'\n```\n",
    "Explain this.\n\n    goroutine #128 [running]:\n    #0 0x0012 in main () at a.c:1234\n\nCluster 7401, 2025-03-04 09:00 UTC.",
    # Chinese
    "请诊断集群 7401 在 2025-03-04T09:00:00Z 至 2025-03-04T09:45:00Z 之间的问题，并分析根因。",
    "集群7401，2025年3月4日17点到17点45分（北京时间），写入大面积超时，请分析原因。",
    "集群 7401 在 2025年3月4日 17:00 到 17:45（UTC+8）延迟升高，帮忙定位一下。",
    "2025年3月4日下午5点，集群 7401 出现慢查询，北京时间下午5点45分恢复。请排查。",
    "3月4日下午五点前后（2025-03-04T17:00:00+08:00）集群 7401 连接被断开，查一下为什么。",
    "集群 7401 的 TiKV-3 在 2025-03-04 09:00 UTC 重启过，请说明原因。",
    "版本是 v8.5.2，集群 7401，时间 2025/03/04 17:00（+08:00），请找出根因。",
    "集群 7401：2025-03-04 17:00:00 东八区开始，QPS 下降到 1/3，端口 4000 无响应。请诊断。",
    "业务方反馈第 1234 号表读取变慢（表 #1234），集群 7401，2025-03-04T09:00:00Z 起。请分析。",
    "集群 7401 的证书为 SHA-256，协议 TLS-1.3。2025-03-04 09:00（UTC）起握手失败，请排查。",
    "凌晨没有问题，上午 9:00（UTC，2025-03-04）开始，集群 7401 的 99.9 分位延迟升到 8.10 秒。请看看是怎么回事。",
    # mixed
    "集群 cluster 7401, window 2025-03-04T09:00:00Z ~ 2025-03-04T09:45:00Z。请 diagnose 一下 write timeout。",
    "cluster_id=7401；start=1741078800000，end=1741081500000；现象：error 9005 (Region is unavailable) 增多。请分析。",
    "Please 分析 cluster 7401：2025-03-04 17:00 CST 起 p99 从 40ms 涨到 1.2s，tikv-2:20180 的 CPU 较高。",
    "从 2025-03-04T09:00:00Z 起，集群 7401 的 region #2048、store 5 很忙；SQL: `select count(*) from t`。请诊断。",
    "请看 recorded/ 下的数据（metrics.json、tikv-2.log），集群 7401，2025-03-04 09:00~09:45 UTC，说明 root cause。",
    "集群 7401（us-west-2，可用区 az-3，节点 node-12）在 Mar 4, 2025 9:45 AM UTC 之前报 UTF-8 解码错误。Find why.",
)
