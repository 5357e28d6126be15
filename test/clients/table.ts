/** The matrix in docs/clients.md: one row a client, written anew for those that were run, between two markers. */

export interface Row {
  readonly client: string
  readonly version: string
  readonly outcome: string
  /** Of the run: `2026-11-22`. */
  readonly date: string
  readonly does: string
  readonly needs: string
}

const [start, end] = ['<!-- matrix: written by `npm run suite clients -- --write` -->', '<!-- end of the matrix -->']
const heading = '| Client | Version | Outcome | Run on | The session | Needs |'
const rule = '|---|---|---|---|---|---|'

/** Rows of clients that were not run stay; of clients that are no more, go. @throws Error if the page has no markers */
export function writeRows(page: string, rows: readonly Row[], order: readonly string[]): string {
  const { before, kept, after } = cut(page)
  const all = new Map(kept)
  for (const row of rows) all.set(row.client, line(row))
  const lines = order.flatMap((client) => all.get(client) ?? [])
  return `${before}${start}\n\n${[heading, rule, ...lines].join('\n')}\n\n${end}${after}`
}

/** The clients that have a row. */
export function clientsIn(page: string): readonly string[] {
  return [...cut(page).kept.keys()]
}

function cut(page: string) {
  const [from, to] = [page.indexOf(start), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error('The page has no markers for the matrix.')
  const lines = page.slice(from + start.length, to).split('\n')
  const kept = new Map(
    lines
      .filter((text) => text.startsWith('| ') && text !== heading)
      .map((text) => [text.slice(2).split(' | ')[0]?.replaceAll('\\|', '|') ?? '', text]),
  )
  return { before: page.slice(0, from), kept, after: page.slice(to + end.length) }
}

function line({ client, version, outcome, date, does, needs }: Row): string {
  const cells = [client, version, outcome, date, does, needs].map((cell) =>
    cell.replaceAll('|', '\\|').replaceAll('\n', ' '),
  )
  return `| ${cells.join(' | ')} |`
}
