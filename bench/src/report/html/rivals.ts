/** The table of rivals: the ratio of the fastest layout's rate to each rival's. */
import type { BenchResults } from '../../results/results.ts'
import { againstRivals } from '../against-rivals.ts'
import { spreadText } from '../format.ts'
import { html, type Markup } from '../markup.ts'

export function rivalsSection(results: BenchResults): Markup | undefined {
  const against = againstRivals(results)
  if (against === undefined) return undefined
  const rows = against.rows.map(({ workload, layout, ratios }) => {
    const cells = ratios.map((ratio) =>
      ratio === undefined
        ? html`<td class="faint">–</td>`
        : html`<td class="${ratio.median < 1 ? 'behind' : ''}">${spreadText(ratio, ' ×')}</td>`,
    )
    return html`<tr><td><a href="#${workload.name}">${workload.title}</a></td><td>${layout}</td>${cells}</tr>`
  })
  const heads = ['workload', 'fastest layout', ...against.rivals]
  return html`<h2>Against rivals</h2><div class="scroll" tabindex="0"><table><thead><tr>${heads.map((head) => html`<th>${head}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>
<p class="faint">The rate of the fastest layout against theirs, round by round: the median [least–most]. A dash: it cannot do that, or was said not to.</p>`
}
