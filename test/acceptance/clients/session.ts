/**
 * Sessions of clients people have, as those come: every promise of a chapter is kept in both dialects, one server each,
 * and no client may need to try anything twice.
 */
import { createCipheriv, createHash } from 'node:crypto'
import {
  CreateBucketCommand,
  GetObjectCommand,
  PutBucketVersioningCommand,
  type GetObjectCommandInput,
  type GetObjectCommandOutput,
  type PutObjectCommandInput,
  type PutObjectCommandOutput,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  type BucketVersioningStatus,
} from '@aws-sdk/client-s3'
import { Client as MinioClient } from 'minio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type ServerOptions, type TestServer } from '../support/server.ts'

export type DialectName = 'neutral' | 'aws'

export interface Session {
  readonly dialect: DialectName
  /** Where buckets are. */
  readonly region: string
  readonly server: TestServer
  readonly s3: S3Client
  readonly minio: MinioClient
  /** Another client; by default one like `s3`. */
  client(options?: { readonly as?: string; readonly config?: S3ClientConfig }): S3Client
  minioClient(options?: { readonly as?: string; readonly partSize?: number }): MinioClient
  /** A name no other bucket of this server has. */
  name(): string
  /** A new bucket of root's. */
  bucket(versioning?: BucketVersioningStatus): Promise<string>
  put(
    Bucket: string,
    Key: string,
    Body?: PutObjectCommandInput['Body'],
    more?: Partial<PutObjectCommandInput>,
  ): Promise<PutObjectCommandOutput>
  get(Bucket: string, Key: string, more?: Partial<GetObjectCommandInput>): Promise<Got>
}

/** An answer, and its bytes: not enumerable, so that no comparison of answers walks or prints them. */
export interface Got extends Omit<GetObjectCommandOutput, 'Body'> {
  readonly bytes: Buffer
}

export type Kept = readonly [promise: string, keeps: (session: Session) => Promise<void>]

// What is tested is the server, on every Node it runs on.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true'

const defaultRegions = { neutral: 'eu', aws: 'us-east-1' } as const

/** Rows run side by side: each makes its own buckets. */
export function inBothDialects(chapter: string, rows: readonly Kept[], options: ServerOptions = {}): void {
  describe.each(['neutral', 'aws'] as const)(`${chapter} (%s)`, (dialect) => {
    const again: string[] = []
    let session: Session
    let close: () => Promise<void>
    beforeAll(async () => {
      ;({ session, close } = await openSession({ ...options, dialect }, again))
    })
    afterAll(async () => {
      await close()
      expect(again, 'requests that were sent again').toEqual([])
    })

    it.concurrent.each(rows)('%s', { timeout: 60_000 }, (_promise, keeps) => keeps(session))
  })
}

async function openSession(
  options: ServerOptions & { readonly dialect: DialectName },
  again: string[],
): Promise<{ readonly session: Session; readonly close: () => Promise<void> }> {
  const { dialect } = options
  const server = await startServer(options)
  const region = options.serve?.region ?? defaultRegions[dialect]
  const opened: S3Client[] = []
  const client: Session['client'] = ({ as = 'root', config = {} } = {}) => {
    const made = s3Client(server, { region, credentials: server.credentials(as), ...config }, again)
    opened.push(made)
    return made
  }
  const minioClient: Session['minioClient'] = ({ as = 'root', partSize } = {}) => {
    const { accessKeyId: accessKey, secretAccessKey: secretKey } = server.credentials(as)
    const address = { endPoint: '127.0.0.1', port: server.port, useSSL: false }
    const retryOptions = { disableRetry: true }
    return new MinioClient({
      ...address,
      accessKey,
      secretKey,
      retryOptions,
      ...(partSize !== undefined && { partSize }),
    })
  }
  const s3 = client()
  let names = 0
  const name = () => `bucket-${(names += 1)}`
  const session: Session = {
    dialect,
    region,
    server,
    s3,
    minio: minioClient(),
    client,
    minioClient,
    name,
    async bucket(versioning) {
      const Bucket = name()
      await s3.send(new CreateBucketCommand({ Bucket }))
      if (versioning !== undefined) await setVersioning(s3, Bucket, versioning)
      return Bucket
    },
    put: (Bucket, Key, Body = Key, more = {}) => s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more })),
    async get(Bucket, Key, more = {}) {
      const { Body, ...answer } = await s3.send(new GetObjectCommand({ Bucket, Key, ...more }))
      const bytes = Buffer.from((await Body?.transformToByteArray()) ?? [])
      return Object.defineProperty(answer, 'bytes', { value: bytes }) as Got
    },
  }
  const close = async () => {
    for (const one of opened) one.destroy()
    await server.stop()
  }
  return { session, close }
}

/** A client with its default settings, except for the endpoint. It also records each request that it sends again. */
function s3Client(server: TestServer, config: S3ClientConfig, again: string[]): S3Client {
  const s3 = new S3Client({ endpoint: `http://${server.host}`, forcePathStyle: true, logger: silent, ...config })
  s3.middlewareStack.add(
    (next, context) => async (sent) => {
      const { headers } = sent.request as { readonly headers: Readonly<Record<string, string>> }
      const attempt = headers['amz-sdk-request'] ?? ''
      if (!attempt.startsWith('attempt=1')) again.push(`${context.commandName}: ${attempt}`)
      return next(sent)
    },
    { step: 'finalizeRequest', priority: 'low', name: 'tellOfRetries' },
  )
  // Errors bring sockets along: a test that fails would print them all.
  s3.middlewareStack.add(
    (next) => (sent) =>
      next(sent).catch((error: unknown) => {
        if (error instanceof Error && '$response' in error)
          Object.defineProperty(error, '$response', { enumerable: false })
        throw error
      }),
    { step: 'initialize', priority: 'high', name: 'keepErrorsShort' },
  )
  return s3
}

/** The way S3 orders keys. */
export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

const nothing = () => undefined
const silent = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing }

export async function setVersioning(s3: S3Client, Bucket: string, Status: BucketVersioningStatus): Promise<void> {
  await s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }))
}

/** The error a client throws. @throws Error when it throws none */
export async function refused(requested: Promise<unknown>): Promise<Refusal> {
  const result = await requested.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ('error' in result) return result.error as Refusal
  throw new Error(`Not refused: ${JSON.stringify(result.value)}`)
}

/** What errors of the SDK have. */
export interface Refusal extends Error {
  readonly name: string
  readonly $metadata: { readonly httpStatusCode?: number; readonly requestId?: string; readonly attempts?: number }
  readonly $response?: { readonly headers: Readonly<Record<string, string>> }
}

/** `['NoSuchKey', 404]`, and that the error is one in every respect. */
export async function refusal(
  requested: Promise<unknown>,
): Promise<readonly [name: string, status: number | undefined]> {
  const { name, message, $metadata } = await refused(requested)
  expect(message).toMatch(/\S/)
  expect($metadata, message).toBeDefined()
  expect($metadata.requestId).toMatch(/^\S+$/)
  return [name, $metadata.httpStatusCode]
}

/** Bytes that look random, always the same for a seed, at some GiB/s. */
export function bytes(length: number, seed = 1): Buffer {
  const iv = Buffer.alloc(16)
  iv.writeUInt32BE(seed)
  return createCipheriv('aes-128-ctr', Buffer.alloc(16, 7), iv).update(Buffer.alloc(length))
}

export function sha256(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex')
}

export function md5(data: Uint8Array | string, encoding: 'hex' | 'base64' = 'hex'): string {
  return createHash('md5').update(data).digest(encoding)
}

/** The code of the error that `minio` throws. @throws Error when it throws none */
export async function minioRefusal(requested: Promise<unknown>): Promise<string> {
  const error = (await refused(requested)) as Error & { readonly code?: string; readonly amzRequestid?: string }
  expect(error.amzRequestid, error.message).toMatch(/^\S+$/)
  return error.code ?? error.name
}

export const MiB = 1024 * 1024
