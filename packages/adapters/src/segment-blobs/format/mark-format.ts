/** Delete marks. Each names the place of a deleted blob. A place means one record for ever, so marks need no order. */
import type { Place } from './places.ts'
import { putNumber, takeNumber } from './record-format.ts'

export const markBytes = 32

/** The most marks in one record; more go into further records. */
export const marksMax = 1024

export function putMark(into: Buffer, at: number, { segment, offset, size }: Place): void {
  into.write(segment, at, 'hex')
  putNumber(into, offset, at + 16)
  putNumber(into, size, at + 24)
}

export function takeMark(bytes: Buffer, at: number): Place {
  return {
    segment: bytes.toString('hex', at, at + 16),
    offset: takeNumber(bytes, at + 16),
    size: takeNumber(bytes, at + 24),
  }
}

/** The payload of a record of marks; `undefined` when its length does not fit. */
export function takeMarks(payload: Buffer): readonly Place[] | undefined {
  if (payload.length % markBytes !== 0) return undefined
  return Array.from({ length: payload.length / markBytes }, (_, n) => takeMark(payload, n * markBytes))
}
