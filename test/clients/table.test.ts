import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { sessions } from './sessions/index.ts'
import { clientsIn, type Row, writeRows } from './table.ts'

const page = (lines: readonly string[]) =>
  [
    '# Clients',
    '',
    '<!-- matrix: written by `npm run suite clients -- --write` -->',
    '',
    '| Client | Version | Outcome | Run on | The session | Needs |',
    '|---|---|---|---|---|---|',
    ...lines,
    '',
    '<!-- end of the matrix -->',
    '',
    'The end.',
    '',
  ].join('\n')

const row = (client: string, more: Partial<Row> = {}): Row => ({
  client,
  version: '1.0',
  outcome: 'passed',
  date: '2026-11-22',
  does: 'everything',
  needs: 'nothing',
  ...more,
})

describe('the matrix of clients', () => {
  it('is written between its markers, and nothing else is touched', () => {
    const written = writeRows(page([]), [row('b'), row('a')], ['a', 'b'])
    expect(written).toBe(
      page([
        '| a | 1.0 | passed | 2026-11-22 | everything | nothing |',
        '| b | 1.0 | passed | 2026-11-22 | everything | nothing |',
      ]),
    )
    expect(clientsIn(written)).toEqual(['a', 'b'])
  })

  it('keeps the rows of clients that were not run, and drops those of clients that are no more', () => {
    const before = writeRows(page([]), [row('a'), row('b'), row('c')], ['a', 'b', 'c'])
    const after = writeRows(before, [row('b', { version: '2.0', outcome: 'failed' })], ['a', 'b'])
    expect(after).toBe(
      page([
        '| a | 1.0 | passed | 2026-11-22 | everything | nothing |',
        '| b | 2.0 | failed | 2026-11-22 | everything | nothing |',
      ]),
    )
  })

  it('is one line a client, whatever is in the cells', () => {
    const odd = row('a | b', { outcome: 'absent: one\nline | another' })
    const written = writeRows(page([]), [odd], ['a | b'])
    expect(written).toContain(String.raw`| a \| b | 1.0 | absent: one line \| another | 2026-11-22 |`)
    expect(clientsIn(written)).toEqual(['a | b'])
    expect(writeRows(written, [], ['a | b'])).toBe(written)
  })

  it('needs its markers', () => {
    expect(() => writeRows('# Clients', [], [])).toThrow(/markers/)
  })

  it('has a row for every session, and no other', () => {
    const written = readFileSync(fileURLToPath(new URL('../../docs/clients.md', import.meta.url)), 'utf8')
    expect(clientsIn(written)).toEqual(sessions.map(({ name }) => name))
  })
})
