import { describe, expect, it } from 'vitest'
import { Findings } from './findings.ts'

const leftover = (place: number) => ({ kind: 'Leftover', message: 'A temporary file.', key: `tmp/${place}` }) as const

describe('findings', () => {
  it('are right where there are leftovers alone', () => {
    const findings = new Findings()
    for (let i = 0; i < 3; i++) findings.note(leftover(i))
    findings.note({ kind: 'BlobOrphan', message: 'A blob that nothing names.', key: 'a' })
    expect(findings.report()).toMatchObject({ ok: true, found: 4, leftovers: 4 })
  })

  it('keep what is wrong behind any number of leftovers', () => {
    const findings = new Findings()
    for (let i = 0; i < 10_005; i++) findings.note(leftover(i))
    findings.note({ kind: 'RowMissing', message: 'A row is missing.', key: 'ff' })
    const { divergences, ...counts } = findings.report()
    expect(counts).toMatchObject({ ok: false, found: 10_006, leftovers: 10_005 })
    expect(divergences.map(({ kind }) => kind).filter((kind) => kind !== 'Leftover')).toEqual(['RowMissing'])
    expect(divergences).toHaveLength(10_001)
  })
})
