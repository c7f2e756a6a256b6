"""The verbs with which docstrings of functions may start."""

LISTED = """
accept add agree align allocate allow answer append apply ask assert assign assume average
become begin belong block bring build call carry cause centre change check choose claim
classify clear close collect combine come compare compile complete compute concern contain
continue contribute convert copy correspond count cover create cut decide decode default
define delete depend descend describe detect determine differ diverge divide draw drop end
ensure equal estimate evaluate exclude exist expect explain extend fail fall fetch fill
filter find finish fit flush follow forget format forward gather generate get give go group
grow guess happen help hold ignore import include increase indicate install interpret join
judge keep kill know label lack last leave let lie limit link list load lock log look lose
make map mark match mean measure merge miss move multiply name need normalise occur open
order override parse pass permute pick place plan plot point predict prepare prevent print
process produce project prove provide put raise read rearrange receive recompute record
reduce refer refuse register reject release remain remember remove rename render repeat
replace report represent reproduce request require resample rescale respond restore return
reuse rotate round run sample save say scale score search see select send separate serve set
shift shorten show shrink shuffle simulate skip solve sort specify split standardise start
state stay step stop store strip subtract sum supply support take teach test touch train
translate treat try turn update use validate vary verify wait warn weigh weight work wrap
write yield
"""
VERBS = {*LISTED.split()}
