"""The verbs that texts of this project use."""


def words_of(listed: str) -> set[str]:
    return set(listed.split())


AUXILIARIES = words_of(
    """
    is are was were be been has have had does do did can could will would may might must should
    shall isn't aren't doesn't don't can't won't cannot
    """
)
VERBS = words_of(
    """
    accept add agree align allow answer append apply ask assert assign assume average become begin
    belong block bring build call carry cause centre change check choose claim classify clear
    close collect combine come compare compile complete compute concern contain continue
    contribute convert copy correspond count cover create cut decide decode default define delete
    depend describe detect determine differ diverge divide draw drop end ensure equal estimate
    evaluate exclude exist expect explain extend fail fall fill filter fetch find finish fit flush
    follow forget format forward gather generate get give go group grow guess happen help hold
    ignore import include increase indicate install interpret join judge keep kill know label lack
    last leave let limit link list load lock log look lose make map mark match mean measure merge
    lie miss move multiply need normalise occur open order override parse pass permute pick name
    place plan plot point predict prepare prevent print process produce project prove provide put
    raise read rearrange receive recompute record reduce refer refuse register reject release remain
    remember remove rename render repeat replace report represent reproduce request require resample
    rescale respond restore return reuse rotate round run sample save say scale score search see
    select send separate serve set shift shorten show shrink shuffle simulate skip solve sort
    specify split standardise start state stay step stop store strip subtract sum supply support
    take teach test touch train translate treat try turn update use validate vary verify wait warn
    weigh weight work wrap write yield
    """
)
PLURALS = words_of(
    """
    answers averages blocks calls causes centres changes checks claims counts covers cuts defaults
    draws drops ends estimates falls filters fits formats groups labels lacks links lists loads
    locks logs looks maps marks matches means measures moves names needs orders places plans plots
    points prints processes projects ranks releases reports requests returns rounds runs samples
    scales scores searches sets shows shifts sorts splits starts states steps stops stores sums
    supports tests turns updates uses values weights works wraps
    """
)
"""Words that look like verbs and are usually nouns."""
FINITE = {
    f"{verb}{'es' if verb.endswith(('s', 'sh', 'ch', 'x', 'o')) else 's'}" for verb in VERBS
} | {f"{verb[:-1]}ies" for verb in VERBS if verb.endswith("y")}
FINITE = (FINITE - PLURALS) | {"returns", "makes", "needs", "counts", "shows"}
