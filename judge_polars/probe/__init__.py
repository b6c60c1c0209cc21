"""Made-up runs that test a rubric, not an agent (specification 10, "Probing a rubric").

samples     a regex -> texts in which it is found
wanted      a case's rules about the answer -> what they look for
answers     what they look for -> empty, generic, stuffed, listing and denying answers
bundles     case runs on disk: copies of passing ones, bare ones for an answer alone
spoilings   a bundle -> the same with one thing spoilt
probing     all of it, judged by the engine -> a report
"""
