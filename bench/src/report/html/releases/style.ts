/** The style of charts over releases. Each colour stands out from the paper by at least 3:1, in light and in dark. */
export const releasesStyle = `
:root { --series-0: #0b6bcb; --series-1: #a8326e; --series-2: #15713f; --series-3: #7a3fb5; --series-4: #0b6f7d; --series-5: #a14a00 }
@media (prefers-color-scheme: dark) { :root { --series-0: #4da3ff; --series-1: #f27ab0; --series-2: #4cc38a; --series-3: #c08bf0; --series-4: #4cc9d8; --series-5: #ffa657 } }
.releases { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr) 14.5rem; gap: .5rem 1.2rem; align-items: start; margin: .3rem 0 .6rem }
figure { margin: 0 } figcaption { font-size: .87em; color: var(--faint) } .time { width: 100%; max-width: 30rem; height: auto; display: block }
.time text { font-size: 11px; fill: var(--faint) } .time .bound { fill: var(--ink); font-size: 13px }
.time .grid { stroke: var(--line) } .time .axis { stroke: var(--faint); fill: none }
.series-0 { --series: var(--series-0) } .series-1 { --series: var(--series-1) } .series-2 { --series: var(--series-2) }
.series-3 { --series: var(--series-3) } .series-4 { --series: var(--series-4) } .series-5 { --series: var(--series-5) }
.series-floor { --series: var(--faint) } .series-rival { --series: var(--warn) }
.series .line { stroke: var(--series); stroke-width: 2; fill: none } .series-floor .line, .series-rival .line { stroke-width: 1.5 }
.dash-0 .line { stroke-dasharray: 6 3 } .dash-1 .line { stroke-dasharray: 2 3 } .dash-2 .line { stroke-dasharray: 9 3 2 3 }
.dash-3 .line { stroke-dasharray: 12 4 } .dash-4 .line { stroke-dasharray: 1 5 } .dash-5 .line { stroke-dasharray: 4 2 1 2 }
.series .spread { stroke: var(--series); stroke-width: 1.2 } .series .mark { fill: var(--series); stroke: var(--series); stroke-width: 1.2 }
.series .hollow { fill: var(--paper) }
.series-list { font-size: .9em } .series-list p { font-size: .97em; color: var(--faint); margin: 0 0 .2rem }
.series-list ul { list-style: none; padding: 0; margin: 0; display: grid; grid-template-columns: auto 1fr auto; gap: .1rem .5rem; align-items: center }
.series-list li { display: contents } .series-list li > span { overflow-wrap: anywhere } .series-list li > span:last-child { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums } .swatch { width: 30px; height: 14px; display: block }
caption { text-align: left; font-size: .87em; color: var(--faint); padding: .3rem 0 } tbody th { color: inherit }
.figures td:nth-child(2), .figures th:nth-child(2), .figures td:nth-child(3), .figures th:nth-child(3) { text-align: left }
.entries { font-size: .92em } .entries th, .entries td { text-align: left; vertical-align: top } .entries td:nth-child(4), .entries td:last-child { white-space: normal; min-width: 9rem }
@media (max-width: 50rem) { .releases { grid-template-columns: 1fr } }
`
