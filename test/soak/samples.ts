/** How the server is, every so often: to a file with a line for each sample, and kept for the judgement at the end. */
import { appendFile, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { handlesOf, memoryOf } from '../bounds/support/process-figures.ts'
import type { Point } from './flatness.ts'
import type { Tally } from './oracle.ts'
import type { Server } from './server.ts'

/** Sizes in MiB, times in milliseconds. */
export const figures = [
  'rss',
  'ownMemory',
  'handles',
  'sockets',
  'tmpFiles',
  'blobs',
  'blobMiB',
  'logMiB',
  'lagP99',
  'lagMax',
  'acknowledged',
  'verified',
  'unclear',
  'wrong',
] as const

export type Figure = (typeof figures)[number]

type Sample = Readonly<Record<Figure, number>>

export class Samples {
  readonly #file: string
  readonly #directory: string
  readonly #points = new Map<Figure, Point[]>()
  readonly #beganAt = Date.now()
  count = 0

  constructor(file: string, directory: string) {
    this.#file = file
    this.#directory = directory
  }

  begin(): Promise<void> {
    return writeFile(this.#file, `seconds,life,${figures.join(',')}\n`)
  }

  of(figure: Figure): readonly Point[] {
    return this.#points.get(figure) ?? []
  }

  /** A server that is being killed or started has no figures: then there is no sample. */
  async take(server: Server, tally: Tally): Promise<void> {
    const { lives: life, age } = server
    const sample = await this.#look(server, tally).catch(() => undefined)
    if (sample === undefined || server.lives !== life) return
    for (const figure of figures) {
      const points = this.#points.get(figure) ?? []
      points.push({ life, age, value: sample[figure] })
      this.#points.set(figure, points)
    }
    this.count++
    const seconds = Math.round((Date.now() - this.#beganAt) / 1000)
    const values = figures.map((figure) => Number(sample[figure].toFixed(2)))
    await appendFile(this.#file, `${[seconds, life, ...values].join(',')}\n`)
  }

  async #look(server: Server, tally: Tally): Promise<Sample> {
    const { pid } = server
    const [memory, handles, { lagP99, lagMax }] = await Promise.all([memoryOf(pid), handlesOf(pid), server.report()])
    const blobs = await contentsOf(join(this.#directory, 'blobs'))
    const log = await contentsOf(join(this.#directory, 'events'))
    const isSocket = (link: string) => link.startsWith('socket:')
    return {
      rss: memory.resident / mib,
      ownMemory: memory.own / mib,
      handles: handles.filter((link) => !isSocket(link)).length,
      sockets: handles.filter(isSocket).length,
      tmpFiles: (await readdir(join(this.#directory, 'tmp'))).length,
      blobs: blobs.files,
      blobMiB: blobs.bytes / mib,
      logMiB: log.bytes / mib,
      lagP99,
      lagMax,
      acknowledged: tally.acknowledged,
      verified: tally.verified,
      unclear: tally.unclear,
      wrong: tally.wrong.length,
    }
  }
}

const mib = 2 ** 20

/** Files come and go while they are counted. */
export async function contentsOf(directory: string): Promise<{ readonly files: number; readonly bytes: number }> {
  let [files, bytes] = [0, 0]
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    files++
    bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => ({ size: 0 }))).size
  }
  return { files, bytes }
}
