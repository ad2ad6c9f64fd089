# rejected-after-a-lost-answer
# What is reported failed is not on sale, even where an earlier attempt put it there and its answer was lost.
list p[1-2]
shop-fails cut=after on=publish
run patience=5s            -> exit 1 pending 2; shop p1 on; shop p2 on; reported p1 nothing
shop-works
shop-fails reject for=p1 on=publish text="not sold here"
shop-fails retry for=p1 on=remove times=1
supply p1 title=Forbidden
supply p2 msrp=
run                        -> exit 1 rejected 2; shop p1 off; shop p2 off; reported p1 failed once
reported p2 failed once
supply p1 title="Forbidden too"
run                        -> exit 1; calls remove=0
