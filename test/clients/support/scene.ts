/** Where one session plays: a served store, a bucket name of its own, a directory of its own, and a second pair of eyes. */
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type IncomingMessage, request } from 'node:http'
import type { LookupFunction } from 'node:net'
import { buffer } from 'node:stream/consumers'
import {
  CreateBucketCommand,
  DeleteObjectsCommand,
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
import { Upload } from '@aws-sdk/lib-storage'
import { signRequest } from 'varve/http'
import { treeRegion } from '../../support/tree-server.ts'
import { type CallOptions, call, type Called } from './commands.ts'
import { type Material, sameBytes, sha256 } from './material.ts'
import { filesIn } from './tree.ts'

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

  async makeBucket(versioned = false, Bucket = this.bucket): Promise<void> {
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

  async store(Key: string, Body: string, Bucket = this.bucket): Promise<void> {
    await this.#witness.send(new PutObjectCommand({ Bucket, Key, Body }))
  }

  /** Stores the files beneath the directory, by their paths in it; long ones in parts. */
  async storeTree(dir: string, prefix: string): Promise<void> {
    const paths = [...(await filesIn(dir))]
    const storeNext = async (): Promise<void> => {
      for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
        const Body = createReadStream(join(dir, path))
        const params = { Bucket: this.bucket, Key: `${prefix}${path}`, Body }
        await new Upload({ client: this.#witness, params, partSize: 8 * 1024 * 1024 }).done()
      }
    }
    await Promise.all(Array.from({ length: 16 }, storeNext))
  }

  async deleteAll(): Promise<void> {
    const Objects = (await this.keys()).map((Key) => ({ Key }))
    for (let from = 0; from < Objects.length; from += 1000) {
      const Delete = { Objects: Objects.slice(from, from + 1000), Quiet: true }
      const { Errors = [] } = await this.#witness.send(new DeleteObjectsCommand({ Bucket: this.bucket, Delete }))
      if (Errors.length > 0) throw new Error(`Not deleted: ${JSON.stringify(Errors[0])}.`)
    }
  }

  /** What an operation of the control API answers. @throws Error unless it is 200 */
  async control<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
    const text = body === undefined ? '' : JSON.stringify(body)
    const [rawPath = '', rawQuery = ''] = path.split('?')
    const headers: readonly (readonly [string, string])[] = [['host', `127.0.0.1:${this.port}`]]
    const signed = signRequest(
      { method, rawPath, rawQuery, headers },
      { ...this.credentials, region: treeRegion, now: Date.now(), payloadHash: sha256(Buffer.from(text)) },
    )
    const answer = await fetch(`${this.endpoint}${path}`, {
      method,
      headers: Object.fromEntries(signed.headers),
      signal: this.#signal,
      ...(body && { body: text }),
    })
    const answered = await answer.text()
    if (answer.status === 200) return JSON.parse(answered) as T
    throw new Error(`${method} ${path} answered ${answer.status}: ${answered}`)
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
