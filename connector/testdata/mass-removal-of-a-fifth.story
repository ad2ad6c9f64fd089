# mass-removal-of-a-fifth
# A fifth of what is on sale may go at once, where that is ten at most; the eleventh has all of them wait.
list p00
list p01
list p02
list p03
list p04
list p05
list p06
list p07
list p08
list p09
list p10
list p11
list p12
list p13
list p14
list p15
list p16
list p17
list p18
list p19
list p20
list p21
list p22
list p23
list p24
list p25
list p26
list p27
list p28
list p29
list p30
list p31
list p32
list p33
list p34
list p35
list p36
list p37
list p38
list p39
run                        -> created 40
unlist p00 p01
run full                   -> exit 0 withdrawn 2
unlist p02 p03 p04 p05 p06 p07 p08 p09 p10 p11
run full                   -> exit 1 held 10 withdrawn 0; shop p02 on
approve kind=removal
run                        -> exit 0 withdrawn 10; shop p02 off; shop p20 on
