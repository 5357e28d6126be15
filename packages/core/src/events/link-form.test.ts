import { describe, expect, it } from 'vitest'
import { hashing } from '../api/memory-ports.fixture.ts'
import { encodeUtf8 } from '../bytes/utf8.ts'
import { readRecord, writeRecord } from '../codec/record.ts'
import { link, noteHash } from './link-form.ts'

const hashOf = (text: string): string => hashing.sha256(encodeUtf8(text))
const [one, other] = [hashOf('one'), hashOf('other')]

function readAgain(written: string): string {
  const reader = readRecord(writeRecord((to) => link.write(to, written)))
  const found = link.read(reader)
  reader.end()
  return found
}

describe('a link', () => {
  it.each(['', one, other, 'text', one.slice(1), `${one}=`, 'é'.repeat(43)])(
    'is read as it was written, whatever hash was computed last: %j',
    (written) => {
      for (const last of ['', one, other, 'text', 'é'.repeat(43), one]) {
        noteHash(last)
        expect(readAgain(written)).toBe(written)
      }
    },
  )

  it('is another one with any byte changed, also if it was the last hash', () => {
    const frame = writeRecord((to) => link.write(to, one))
    noteHash(one)
    for (let at = 6; at < frame.length; at++) {
      const changed = frame.with(at, (frame[at] as number) ^ 1)
      expect(link.read(readRecord(changed))).not.toBe(one)
    }
    for (let length = 5; length < frame.length; length++) {
      expect(() => link.read(readRecord(frame.slice(0, length)))).toThrow('no more bytes')
    }
  })
})
