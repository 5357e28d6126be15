/** What a store can lie on: one file system, or one for the blobs and another for the log. */
import { cp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openStore } from 'varve'
import { makingOf } from '../../layouts/layout-parts.ts'
import type { Bug, Place } from '../load/load.ts'
import { type Kind, LoopImage } from './loop-image.ts'

export interface SetUp {
  readonly name: SetUpName
  /** The store's directory. */
  readonly directory: string
  /** The power of all of it fails, and comes back. The writer must stand still. */
  cutPower(): Promise<void>
  /** After the writer is gone: mounted again as after a boot. */
  comeBack(): Promise<void>
  remove(): Promise<void>
}

/** The file system of blobs, and that of the log if it is another. */
const shapes = {
  ext4: ['ext4'],
  xfs: ['xfs'],
  'ext4+ext4': ['ext4', 'ext4'],
  'xfs+ext4': ['xfs', 'ext4'],
  'ext4+xfs': ['ext4', 'xfs'],
} as const satisfies Record<string, readonly Kind[]>

export type SetUpName = keyof typeof shapes
export const setUpNames = Object.keys(shapes) as SetUpName[]

/**
 * Whether a planted bug can be seen here. With everything on one file system, every sync of LevelDB also commits the
 * changes of directories, so that a missing sync of a directory has no effect.
 */
export const shows = (name: SetUpName, bug: Bug): boolean => bug !== 'no-directory-sync' || shapes[name].length === 2

export async function makeSetUp(
  { on: name, layout }: { readonly on: SetUpName } & Pick<Place, 'layout'>,
  scratch: string,
): Promise<SetUp> {
  const [kind, levelKind] = shapes[name] as readonly [Kind, Kind?]
  const point = join(scratch, 'mounted')
  const directory = join(point, 'store')
  const events = join(directory, 'events')
  const main = await LoopImage.make(join(scratch, 'image'), kind)
  await main.mount(point)
  const level = levelKind && (await LoopImage.make(join(scratch, 'level-image'), levelKind))
  if (level !== undefined) await moveEvents(directory, level)
  const images = level === undefined ? [main] : [main, level]
  return {
    name,
    directory,
    async cutPower() {
      for (const image of images) await image.cutPower()
    },
    async comeBack() {
      for (const image of images.toReversed()) await image.unmount()
      await main.mount(point)
      await level?.mount(events)
    },
    async remove() {
      for (const image of images.toReversed()) await image.remove()
    },
  }

  /** As an owner would do it: the store is made, closed, and its log moved to the disk that is then mounted there. */
  async function moveEvents(store: string, to: LoopImage): Promise<void> {
    await (await openStore(store, makingOf(layout))).close()
    const aside = join(scratch, 'aside')
    await cp(events, aside, { recursive: true })
    for (const file of await readdir(events)) await rm(join(events, file), { recursive: true })
    await to.mount(events)
    await cp(aside, events, { recursive: true })
    await rm(aside, { recursive: true })
    await to.unmount()
    await to.mount(events)
  }
}
