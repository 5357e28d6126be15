/** The image, made by the steps of its Dockerfile in plain directories, and started as a container would be. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { buildImage, cleanEnvironment, type Image, placed } from './dockerfile.ts'
import { deploy } from './expressions.ts'

const context = fileURLToPath(new URL('../..', import.meta.url))
const credentials = { accessKeyId: 'root-key', secretAccessKey: 'root-secret' }

describe('the image of the Dockerfile', { timeout: 300_000 }, () => {
  const scratch = mkdtempSync(join(tmpdir(), 'varve-image-'))
  let image: Image

  beforeAll(() => {
    image = buildImage(join(deploy, 'Dockerfile'), { context, scratch })
  }, 600_000)
  afterAll(() => rmSync(scratch, { recursive: true, force: true }))

  /** The words of a command, in the directories that stand for those of the image. */
  const here = (words: readonly string[]): readonly string[] =>
    words.map((word) => (word === '/nodejs/bin/node' ? process.execPath : placed(word, image)))

  const environment = (port: number) => ({
    ...cleanEnvironment(),
    ...Object.fromEntries(Object.entries(image.env).map(([name, value]) => [name, placed(value, image)])),
    VARVE_PORT: String(port),
    VARVE_ACCESS_KEY_ID: credentials.accessKeyId,
    VARVE_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  })

  const isHealthy = async (port: number): Promise<boolean> => {
    const [file = '', ...rest] = here(image.healthCheck)
    return promisify(execFile)(file, rest, { env: environment(port) }).then(
      () => true,
      () => false,
    )
  }

  it('starts, is healthy, serves a client, ends at its signal, and has everything at the next start', async () => {
    const port = await freePort()
    const [file = '', ...rest] = here([...image.entrypoint, ...image.command])
    const client = new S3Client({
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials,
    })
    const object = { Bucket: 'photos', Key: 'a.txt' }
    for (const round of [1, 2]) {
      expect(await isHealthy(port)).toBe(false)
      const server = spawn(file, rest, { cwd: image.root, env: environment(port), stdio: 'ignore' })
      const ended = once(server, 'close')
      await expect.poll(() => isHealthy(port), { timeout: 60_000 }).toBe(true)
      if (round === 1) {
        await client.send(new CreateBucketCommand({ Bucket: object.Bucket }))
        await client.send(new PutObjectCommand({ ...object, Body: 'hello' }))
      }
      const { Body } = await client.send(new GetObjectCommand(object))
      expect(await Body?.transformToString()).toBe('hello')
      server.kill(image.stopSignal as NodeJS.Signals)
      expect(await ended).toEqual([0, null])
    }
    client.destroy()
  })

  it('runs as a user who is not root, and names a directory of its own for the data', () => {
    expect(image.user).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    expect(image.env).toMatchObject({ VARVE_DIR: '/data' })
  })
})
