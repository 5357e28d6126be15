/**
 * Tells answers of S3 from those of something else that answers 200, such as a proxy, a login page or another service. Such an
 * answer acknowledges nothing: bytes that it accepted are nowhere, and a listing of it is not empty.
 */
import { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { WrongAnswer } from './s3-failure.ts'

interface Response {
  statusCode: number
  readonly headers: Readonly<Record<string, string>>
  body: AsyncIterable<Uint8Array> | undefined
}

/** What an answer of S3 to a command has: an ETag, no content, or a document with this root. */
type Sign = { readonly etag: true } | { readonly empty: true } | { readonly root: string }

const etag = { etag: true } as const
const empty = { empty: true } as const

/** All commands that this package sends. Others are refused, so that each has its sign here. */
export const signs: ReadonlyMap<string, Sign> = new Map<string, Sign>([
  ['AbortMultipartUploadCommand', empty],
  ['CompleteMultipartUploadCommand', { root: 'CompleteMultipartUploadResult' }],
  ['CopyObjectCommand', { root: 'CopyObjectResult' }],
  ['CreateMultipartUploadCommand', { root: 'InitiateMultipartUploadResult' }],
  ['DeleteObjectCommand', empty],
  ['DeleteObjectsCommand', { root: 'DeleteResult' }],
  ['GetBucketVersioningCommand', { root: 'VersioningConfiguration' }],
  ['GetObjectCommand', etag],
  ['GetObjectTaggingCommand', { root: 'Tagging' }],
  ['HeadObjectCommand', etag],
  ['ListMultipartUploadsCommand', { root: 'ListMultipartUploadsResult' }],
  ['ListObjectVersionsCommand', { root: 'ListVersionsResult' }],
  ['ListObjectsV2Command', { root: 'ListBucketResult' }],
  ['PutObjectCommand', etag],
  ['UploadPartCommand', etag],
])

type Next = (args: unknown) => Promise<{ readonly response: Response }>
type Stack = { add(middleware: unknown, options: object): void }

/** Makes every command of the client fail with `WrongAnswer` if its answer has not the sign of the command. */
export function checkAnswers(client: S3Client): void {
  const check = (next: Next, { commandName = '' }: { readonly commandName?: string }) => {
    return async (args: unknown) => {
      const result = await next(args)
      await assertAnswer(commandName, result.response)
      return result
    }
  }
  // The nearest to the connection: nothing was parsed yet.
  const stack = client.middlewareStack as unknown as Stack
  stack.add(check, { step: 'deserialize', priority: 'low', name: 'varveAnswers' })
}

async function assertAnswer(command: string, response: Response): Promise<void> {
  if (response.statusCode >= 300) return
  const sign = signs.get(command)
  if (sign === undefined) throw new TypeError(`No answer is known to ${command}.`)
  if ('root' in sign) return assertRoot(command, sign.root, response)
  const isRight = 'empty' in sign ? response.statusCode === 204 : (response.headers['etag'] ?? '') !== ''
  if (isRight) return
  ;(response.body as { destroy?(): void } | undefined)?.destroy?.()
  throw wrong(command)
}

async function assertRoot(command: string, root: string, response: Response): Promise<void> {
  const chunks: Uint8Array[] = []
  for await (const chunk of response.body ?? []) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  response.body = Readable.from([bytes])
  const found = rootOf(bytes)
  if (found === root) return
  if (found !== 'Error') throw wrong(command)
  // S3 begins some answers before it knows how they end. The SDK reads the error from answers with such a status.
  response.statusCode = 500
}

/** The name of the first element of a document, without its prefix. */
function rootOf(document: Buffer): string | undefined {
  const beginning = document.subarray(0, 4096).toString()
  return /^\uFEFF?\s*(?:<\?[^>]*\?>\s*|<!--.*?-->\s*)*<(?:[\w.-]+:)?([\w.-]+)[\s/>]/s.exec(beginning)?.[1]
}

const wrong = (command: string): WrongAnswer =>
  new WrongAnswer('WrongAnswer', `What answered ${command.replace(/Command$/, '')} is not S3.`)
