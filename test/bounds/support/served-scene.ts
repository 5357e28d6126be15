/** A served store in a directory of its own, measured while it answers requests. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { TestService } from './test-service.ts'
import { noiseCheck, noiseStream } from './noise.ts'
import { handlesOf, memoryOf, resetPeak } from './process-figures.ts'
import { type Served, type ServedOptions, serveStore } from './served-store.ts'

export const bucket = 'bounds'
const warmUpBytes = 8 * 2 ** 20

export interface Scene {
  readonly service: TestService
  readonly served: Served
  readonly directory: string
  /** Files the server has open that are part of the store's bytes: blobs, half-written or whole. */
  openBlobs(): Promise<readonly string[]>
  /** Blobs there are, and half-written ones. */
  files(): Promise<{ readonly blobs: number; readonly tmp: number }>
  /** Bytes of RSS above what it was before, at the most, while this was done. */
  grown(work: () => Promise<void>): Promise<number>
  /** Stops the server and removes everything. */
  close(): Promise<void>
}

export async function servedScene(options: ServedOptions & { readonly connections?: number } = {}): Promise<Scene> {
  const root = await mkdtemp(join(tmpdir(), 'varve-served-'))
  const directory = join(root, 'store')
  const served = await serveStore(directory, options)
  const service = new TestService(served, { connections: options.connections ?? 32 })
  await service.expect(`PUT /${bucket}`)
  await warmUp(service)
  const { pid } = served
  return {
    service,
    served,
    directory,
    async openBlobs() {
      const ours = ['blobs', 'tmp'].map((name) => `${join(directory, name)}/`)
      return (await handlesOf(pid)).filter((link) => ours.some((start) => link.startsWith(start)))
    },
    async files() {
      const blobs = await readdir(join(directory, 'blobs'), { recursive: true, withFileTypes: true })
      return {
        blobs: blobs.filter((entry) => entry.isFile()).length,
        tmp: (await readdir(join(directory, 'tmp'))).length,
      }
    },
    async grown(work) {
      await resetPeak(pid)
      const before = await memoryOf(pid)
      await work()
      return (await memoryOf(pid)).peak - before.resident
    },
    async close() {
      service.close()
      await served.stop()
      await rm(root, { recursive: true, force: true })
    },
  }
}

/** Everything compiled and every cache made, before figures begin. */
async function warmUp(service: TestService): Promise<void> {
  const line = `/${bucket}/warm`
  await service.expect(`PUT ${line}`, { body: noiseStream(warmUpBytes), length: warmUpBytes })
  const check = noiseCheck(warmUpBytes)
  await service.expect(`GET ${line}`, { onChunk: check.take })
  if (!check.isRight()) throw new Error('The first bytes came back wrong.')
  await service.expect(`DELETE ${line}`)
}

/** Waits until the condition holds, at most `ms`. Returns whether it does. */
export async function within(ms: number, holds: () => Promise<boolean>): Promise<boolean> {
  for (const end = Date.now() + ms; ; await delay(20)) {
    if (await holds()) return true
    if (Date.now() > end) return false
  }
}
