"""Do networks learn the same? Convergent Learning (Li et al. 2016), SVCCA (Raghu et al. 2017),
PWCCA (Morcos et al. 2018), and memorised labels (Zhang et al. 2017)."""
