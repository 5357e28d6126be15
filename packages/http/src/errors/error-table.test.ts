import { describe, expect, it } from 'vitest'
import { errorTable } from './error-table.ts'
import type { ErrorRow } from './error-row.ts'

const rows = Object.entries(errorTable) as [keyof typeof errorTable, ErrorRow][]

describe('the error table', () => {
  it.each(rows)('%s has a status of refusal and a message', (_code, { status, message }) => {
    expect(status === 304 || (status >= 400 && status < 600)).toBe(true)
    expect(message.length).toBeGreaterThan(5)
  })

  it('sends clients to codes that stand for themselves and have the same status', () => {
    for (const [, { wireCode, status }] of rows) {
      if (wireCode === undefined) continue
      const target: ErrorRow = errorTable[wireCode]
      expect([target.wireCode ?? wireCode, target.status]).toEqual([wireCode, status])
    }
  })
})
