/** The golden directories, and how a test opens one. */
import { type LayoutName, layouts } from '@varve/adapters'
import type { Store } from '@varve/core'
import { openStore } from 'varve'

export const endings = ['closed', 'killed'] as const
/** How the process that wrote a directory ended. */
export type Ending = (typeof endings)[number]

const databases: readonly LayoutName[] = ['lmdb+files', 'sqlite+tiered']

/** All layouts of Varve's own, and each database once. */
export const goldenLayouts: readonly LayoutName[] = layouts
  .filter(({ name, journal }) => journal === 'level' || journal === 'segments' || databases.includes(name))
  .map(({ name }) => name)

/** Opens without erasing anything and without lifecycle rules: the clock of the session stood still long ago. */
export const openGolden = (directory: string): Promise<Store> =>
  openStore(directory, {
    create: false,
    lifecycle: false,
    sweepEveryMs: 0,
    sweepOrphans: false,
    retentionMs: 1e14,
    hashingThreads: 0,
  })
