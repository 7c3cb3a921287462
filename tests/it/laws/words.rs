//! Every step of every governor, on any table and any input, has words that page and mail can show.

use idlescope::cpuidle::Step;
use idlescope::page::words::{Speaker, Style};
use idlescope::probe::Steps;
use idlescope::sim;
use proptest::prelude::*;

use super::governors::{Cpu, choices, period, world};

proptest! {
    #[test]
    fn every_step_has_a_clause_and_its_arithmetic_in_both_styles(
        world in world(),
        periods in prop::collection::vec(period(), 1..20),
    ) {
        let page = Speaker::new(Some(&world.table), Style::Page, false);
        let kernel = Speaker::new(Some(&world.table), Style::Page, true);
        let mail = Speaker::new(Some(&world.table), Style::Ascii, false);
        for choice in choices() {
            let mut cpu = Cpu::new(choice, world.capacity);
            for period in &periods {
                let mut steps: Steps<Step> = Steps::default();
                cpu.run(&world, period, Some(&mut steps));
                for step in steps.0 {
                    let step = sim::Step::Governor(step);
                    for speaker in [page, kernel, mail] {
                        let said = speaker.step(&step);
                        prop_assert!(!said.text.is_empty() && !said.text.contains('\n'), "{step:?}");
                        prop_assert!(!said.math.contains('?') && !said.math.contains("  "), "{step:?}: {}", said.math);
                    }
                    let said = mail.step(&step);
                    prop_assert!(said.text.is_ascii() && said.math.is_ascii(), "{step:?}: {said:?}");
                }
            }
        }
    }
}
