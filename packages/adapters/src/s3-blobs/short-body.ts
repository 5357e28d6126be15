import { WrongAnswer } from './s3-failure.ts'

/** The bytes of an answer that must be short: a server cannot fill the memory. @throws WrongAnswer */
export async function shortBody(body: unknown, bytesMax: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop ends the connection.
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new WrongAnswer('WrongSize', `At most ${bytesMax} bytes were expected, and more came.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
