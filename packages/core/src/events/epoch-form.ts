/** The binary form of an epoch: its five bytes. Neighbours usually have the same one, so the last one read is kept. */
import { bytesOfDigits, digitsOfBytes } from '../bytes/base32.ts'
import { sameRange } from '../bytes/bytes.ts'
import { type Epoch, epochForm } from '../base/epoch.ts'
import type { Codec } from '../codec/codec.ts'
import { Mismatch } from '../schema/schema.ts'

const epochBytes = 5

let lastBytes = new Uint8Array(epochBytes)
let lastEpoch: Epoch = '0'.repeat(8)

export const epoch: Codec<Epoch> = {
  write(to, value) {
    if (typeof value !== 'string' || !epochForm.test(value)) throw Mismatch.wrongType('an epoch', value)
    to.bytes(bytesOfDigits(value))
  },
  read(from) {
    const at = from.take(epochBytes)
    if (!sameRange(from.bytes, at, at + epochBytes, lastBytes)) {
      lastEpoch = digitsOfBytes(from.bytes, at)
      lastBytes = from.bytes.slice(at, at + epochBytes)
    }
    return lastEpoch
  },
}
