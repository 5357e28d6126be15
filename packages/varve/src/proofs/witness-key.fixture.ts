/** The key of a witness, and its cosignatures: C2SP tlog-cosignature, written again without the code of the store. */
import { createHash } from 'node:crypto'

export function witnessKey(name: string, publicKey: Uint8Array, sign: (message: Uint8Array) => Uint8Array) {
  const typed = Buffer.concat([Buffer.from([4]), publicKey])
  const id = createHash('sha256')
    .update(Buffer.concat([Buffer.from(`${name}\n`), typed]))
    .digest()
    .subarray(0, 4)
  return {
    key: `${name}+${id.toString('hex')}+${typed.toString('base64')}`,
    lineOf(note: string, seconds: number): string {
      const text = note.slice(0, note.indexOf('\n\n') + 1)
      const time = Buffer.alloc(8)
      time.writeBigUInt64BE(BigInt(seconds))
      const signature = sign(Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`))
      return `\u2014 ${name} ${Buffer.concat([id, time, signature]).toString('base64')}\n`
    },
  }
}
