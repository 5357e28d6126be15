/** Runs the command in this process. */
import { Writable } from 'node:stream'
import { main } from './main.ts'

export interface Outcome {
  readonly status: number
  /** One character for each byte, so that no difference is lost. */
  readonly stdout: string
  readonly stderr: string
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // Standard input is empty.
}

export async function varve(args: readonly string[], stdin: AsyncIterable<Uint8Array> = nothing()): Promise<Outcome> {
  const chunks: Buffer[] = []
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(Buffer.from(chunk))
      done()
    },
  })
  let stderr = ''
  const status = await main(args, { stdin, stdout, stderr: { write: (text) => (stderr += text) } })
  return { status, stdout: Buffer.concat(chunks).toString('latin1'), stderr }
}
