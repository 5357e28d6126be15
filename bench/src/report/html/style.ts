/** The style of the page: light or dark as the reader's system, one column on a phone, legible in print. */
export const style = `
:root { color-scheme: light dark; --ink: #16202b; --faint: #5b6773; --line: #d9dfe5; --paper: #fff; --panel: #f5f7f9;
  --best: #0b6bcb; --other: #8fbbe6; --floor: #b4bcc4; --rival: #d9a05b; --whisker: #16202b; --warn: #8a5300; --warn-paper: #fff4df }
@media (prefers-color-scheme: dark) { :root { --ink: #e6ebf0; --faint: #9aa7b3; --line: #333d47; --paper: #12171c;
  --panel: #1a2128; --best: #4da3ff; --other: #2c5480; --floor: #4c5762; --rival: #8a5c22; --whisker: #e6ebf0; --warn: #ffca7a; --warn-paper: #33270f } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 68rem; padding: 1.5rem 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .3rem } h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem }
h3 { font-size: 1.05rem; margin: 2rem 0 .4rem } h3 code { color: var(--faint); font-weight: 400; font-size: .85em }
p, ul { margin: .3rem 0 .8rem } .faint { color: var(--faint) } a { color: var(--best) }
.warning { background: var(--warn-paper); color: var(--warn); padding: .6rem .8rem; border-radius: .4rem }
.scroll { overflow-x: auto } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap }
th { font-weight: 600; color: var(--faint) } th:first-child, td:first-child { text-align: left }
.glance { font-size: .92em } .glance th, .glance td { padding: .25rem .45rem } .glance td:first-child { white-space: normal; min-width: 11rem }
.glance td[style] { background: color-mix(in srgb, var(--best) max(0%, calc((var(--share) - 20%) / 3)), transparent) }
.glance .best { font-weight: 700 } .glance .best .rate::before { content: '● '; color: var(--best) }
.glance .tie .rate::before { content: '○ '; color: var(--best) } .share { display: block; font-size: .8em; color: var(--faint); font-weight: 400 }
.behind { color: var(--warn) }
.chart { display: grid; grid-template-columns: minmax(7rem, auto) 1fr auto; gap: .25rem .7rem; align-items: center; margin: .4rem 0 }
.chart svg { width: 100%; height: 18px; display: block; background: var(--panel); border-radius: 2px; overflow: visible }
.chart .value { font-variant-numeric: tabular-nums; white-space: nowrap; text-align: right } .chart .name { overflow-wrap: anywhere }
.chart .floor { color: var(--faint) } .bar-best { fill: var(--best) } .bar-layout { fill: var(--other) } .bar-floor { fill: var(--floor) } .bar-rival { fill: var(--rival) }
.whisker { stroke: var(--whisker); stroke-width: 1.5 } .reach { stroke: var(--other); stroke-width: 5; stroke-linecap: round }
.reach-floor { stroke: var(--floor) } .reach-rival { stroke: var(--rival) } .p50 { fill: var(--best) } .p99 { fill: var(--ink) }
details { margin: .5rem 0 } summary { cursor: pointer; color: var(--faint) }
@media (min-width: 40.01rem) { .chart .row { display: contents } }
@media (max-width: 40rem) { .chart { display: block } .chart .row { display: grid; grid-template-columns: 1fr auto; gap: 0 .5rem }
  .chart svg { grid-column: 1 / -1; order: 1; margin-bottom: .4rem } th, td { padding: .3rem .4rem }
  .glance th, .glance td { padding: .2rem } .glance td:first-child { min-width: 0 } .glance th span { writing-mode: vertical-rl }
  .glance .rate { font-size: 0 } .glance .rate::before { font-size: .8rem } .glance .share { display: inline; font-size: .75rem } }
`
