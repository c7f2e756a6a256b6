// Sphinx's scores, and 20 more where the words are most of a title: the section with that title comes first.
var Scorer = {
  score: ([, , , , score, , kind]) => (kind === "title" ? score + 20 : score),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
