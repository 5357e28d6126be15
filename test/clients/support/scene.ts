/** Where one session plays: a served store, a bucket name of its own, a directory of its own, and a second pair of eyes. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import type { LookupFunction } from 'node:net'
import { buffer } from 'node:stream/consumers'
import {
  CreateBucketCommand,
  DeletePublicAccessBlockCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutBucketOwnershipControlsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { treeRegion } from '../../support/tree-server.ts'
import { type CallOptions, call, type Called } from './commands.ts'
import { type Material, sameBytes } from './material.ts'

/** Not every system finds `bucket.localhost` by itself. */
const toLoopback: LookupFunction = (_host, { all }, found) => {
  if (all === true) found(null, [{ address: '127.0.0.1', family: 4 }])
  else found(null, '127.0.0.1', 4)
}

export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export interface SceneOptions {
  readonly port: number
  readonly credentials: Credentials
  readonly material: Material
  /** The session's own directory; also the home of what it runs. */
  readonly dir: string
  readonly bucket: string
  readonly signal: AbortSignal
}

export class Scene {
  readonly port: number
  readonly credentials: Credentials
  readonly material: Material
  readonly dir: string
  readonly bucket: string
  /** What a client is given of the environment: no configuration but the scene's, and no proxies. */
  readonly env: NodeJS.ProcessEnv
  readonly #signal: AbortSignal
  readonly #witness: S3Client

  constructor({ port, credentials, material, dir, bucket, signal }: SceneOptions) {
    this.port = port
    this.credentials = credentials
    this.material = material
    this.dir = dir
    this.bucket = bucket
    this.#signal = signal
    this.env = {
      PATH: process.env['PATH'],
      LANG: 'C.UTF-8',
      HOME: dir,
      TMPDIR: dir,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_REGION: treeRegion,
      AWS_DEFAULT_REGION: treeRegion,
      AWS_ENDPOINT_URL: this.endpoint,
      AWS_EC2_METADATA_DISABLED: 'true',
    }
    this.#witness = new S3Client({ endpoint: this.endpoint, region: treeRegion, credentials, forcePathStyle: true })
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Runs a program of the client. */
  call(command: string, args: readonly string[], options: CallOptions = {}): Promise<Called> {
    const env = { ...this.env, ...options.env }
    return call(command, args, { cwd: this.dir, signal: this.#signal, ...options, env })
  }

  async makeBucket(versioned = false): Promise<void> {
    const Bucket = this.bucket
    await this.#witness.send(new CreateBucketCommand({ Bucket }))
    if (!versioned) return
    const VersioningConfiguration = { Status: 'Enabled' } as const
    await this.#witness.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }))
  }

  /** Makes access control lists count in the bucket, public ones too: new buckets have none. */
  async enableLists(): Promise<void> {
    const Bucket = this.bucket
    const OwnershipControls = { Rules: [{ ObjectOwnership: 'ObjectWriter' as const }] }
    await this.#witness.send(new PutBucketOwnershipControlsCommand({ Bucket, OwnershipControls }))
    await this.#witness.send(new DeletePublicAccessBlockCommand({ Bucket }))
  }

  async store(Key: string, Body: string): Promise<void> {
    await this.#witness.send(new PutObjectCommand({ Bucket: this.bucket, Key, Body }))
  }

  /** @throws Error unless the object holds the bytes of the file */
  async stored(Key: string, file: string): Promise<void> {
    const { Body } = await this.#witness.send(new GetObjectCommand({ Bucket: this.bucket, Key }))
    sameBytes(await Body!.transformToByteArray(), await readFile(file), `the object ${Key}`)
  }

  /** @throws Error unless the object came in parts */
  async inParts(Key: string): Promise<void> {
    const { ETag = '' } = await this.#witness.send(new HeadObjectCommand({ Bucket: this.bucket, Key }))
    if (!/^"[0-9a-f]{32}-\d+"$/.test(ETag)) throw new Error(`${Key} did not come in parts: its ETag is ${ETag}.`)
  }

  async keys(): Promise<readonly string[]> {
    const keys: string[] = []
    let ContinuationToken: string | undefined
    do {
      const page = await this.#witness.send(new ListObjectsV2Command({ Bucket: this.bucket, ContinuationToken }))
      keys.push(...(page.Contents ?? []).map(({ Key = '' }) => Key))
      ContinuationToken = page.NextContinuationToken
    } while (ContinuationToken !== undefined)
    return keys
  }

  /** Uploads begun and neither completed nor aborted. */
  async unfinishedUploads(): Promise<number> {
    const { Uploads = [] } = await this.#witness.send(new ListMultipartUploadsCommand({ Bucket: this.bucket }))
    return Uploads.length
  }

  /** What a presigned address answers, wherever the system thinks its host is. @throws Error unless it is 200 */
  async fetch(url: string, method: 'GET' | 'PUT' = 'GET', body?: Uint8Array): Promise<Uint8Array> {
    const requested = request(url, { method, signal: this.#signal, lookup: toLoopback })
    requested.end(body)
    const [answer] = (await once(requested, 'response')) as [IncomingMessage]
    const answered = await buffer(answer)
    if (answer.statusCode === 200) return answered
    throw new Error(`${url} answered ${answer.statusCode}: ${answered.toString().slice(0, 500)}`)
  }

  close(): void {
    this.#witness.destroy()
  }
}
