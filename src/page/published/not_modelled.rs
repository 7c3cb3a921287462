//! Published measurements that nothing here is compared with, and why (spec published-results.md).

/// What was measured, and why no criterion stands for it.
pub const NOT_MODELLED: [(&str, &str); 13] = [
    (
        "P2: watts with an unmerged teo that polls under load; 500 threads",
        "That version is not in the catalogue. Power of an i5-10600K under load is known in single figures only, so \
         watts of loads are compared between governors, never as such.",
    ),
    (
        "P3: token passing with five governors on an i5-10600K",
        "No code costs, clock or power of that machine were published; its scenario runs on the Sandy Bridge.",
    ),
    (
        "P4: state 0 off and the teo of 5.14-rc3",
        "The mistake was mended before the release, so no version of the catalogue has it.",
    ),
    (
        "P5, P6: requests a second as such",
        "Device times are taken from teo's own rates; only the ratio of menu's to them is a finding.",
    ),
    (
        "P8, P9: wake latencies, lost wakeups, menu without its rule about polling",
        "Wakeups come at a fixed distance from the last, so none is lost; the patched menu was not merged.",
    ),
    (
        "P11: a Chromebook with and without 85975daeaa4d",
        "The score rose with deeper sleep because siblings then ran faster: a power budget is not modelled, and without it \
         the other kernel looks better.",
    ),
    (
        "P13: watts of an idle i5-10600K by kernel",
        "What woke that machine was not published, and differences of 0.1 W hang on it; the patch that cost 400 % was dropped.",
    ),
    (
        "P14: ladder with its comparison mended, and tuned",
        "Neither was merged, so neither is in the catalogue.",
    ),
    (
        "P15: C0.2 beside POLL",
        "No state with a light sleep under user control is in any table.",
    ),
    (
        "P16: entries that the firmware refuses",
        "The engine knows refused entries, but no machine of a scenario refuses them.",
    ),
    (
        "P17: fail rates",
        "What the probe did to a machine is not known; compared is which version stays in POLL at all.",
    ),
    (
        "P18: SPECjbb on Granite Rapids",
        "Scores are not modelled, and the timers that vanished were not counted.",
    ),
    (
        "P19: before and after wakeups within 15 us count as hits",
        "The vectors do not tell versions before and after that change apart; compared is the share of POLL.",
    ),
];
