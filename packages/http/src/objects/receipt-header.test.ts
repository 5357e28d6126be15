import { describe, expect, it } from 'vitest'
import { receiptHeaders } from './receipt-header.ts'

const own = '\u2014 log.example AAAABBBB'
const note = ['log.example', '7', 'cm9vdA==', '', own, ''].join('\n')
const cosigned = `${note}\u2014 witness.example/w CCCCDDDD\n`
const receiptWith = (checkpoint: string) => ['c2sp.org/tlog-proof@v1', 'extra ', 'index 6', '', checkpoint].join('\n')

const noteIn = (receipt: string) =>
  Buffer.from(receiptHeaders({ receipt })['x-varve-checkpoint'] ?? '', 'base64').toString()

describe('the headers of a receipt', () => {
  it('name the position from 1, and have the checkpoint', () => {
    const headers = receiptHeaders({ receipt: receiptWith(note) })
    expect(headers['x-varve-receipt']).toBe('/-/v1/proofs/event?seq=7')
    expect(noteIn(receiptWith(note))).toBe(note)
  })

  it('leave out the signatures of witnesses, which would make them long', () => {
    expect(noteIn(receiptWith(cosigned))).toBe(note)
  })

  it('are absent without a receipt', () => {
    expect(receiptHeaders({})).toEqual({})
  })
})
