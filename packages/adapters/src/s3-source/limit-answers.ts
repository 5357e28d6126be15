/** Ends answers of a server that are longer than any answer has to be, so that a server cannot fill the memory. */
import { pipeline, type Readable, Transform } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { WrongAnswer } from '../s3-blobs/s3-failure.ts'

type Handled = { readonly response: { body?: unknown } }
type Handler = { handle(request: unknown, options?: unknown): Promise<Handled> }

/** Answers are limited as they come from the connection, before anything collects them. */
export function limitAnswers(client: S3Client, bytesMax: number): void {
  const handler = client.config.requestHandler as unknown as Handler
  const handle = handler.handle.bind(handler)
  handler.handle = async (request, options) => {
    const handled = await handle(request, options)
    const { body } = handled.response
    if (isReadable(body)) handled.response.body = limited(body, bytesMax)
    return handled
  }
}

const isReadable = (body: unknown): body is Readable => typeof (body as Partial<Readable> | null)?.pipe === 'function'

function limited(body: Readable, bytesMax: number): Readable {
  let bytes = 0
  const limit = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      bytes += chunk.length
      if (bytes <= bytesMax) done(null, chunk)
      else done(new WrongAnswer('AnswerTooLong', `The answer has more than ${bytesMax} bytes.`))
    },
  })
  // The reader receives the error.
  return pipeline(body, limit, () => undefined)
}
