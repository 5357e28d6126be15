/** The layouts that can be compared. A new one is one line. */
import { memoryStore } from '../memory-store.ts'
import { openStore } from '../open-store.ts'
import type { OpenStoreOptions } from '../store-options.ts'
import type { VarveStore } from '../varve-store.ts'

export interface Layout {
  readonly name: string
  readonly about: string
  /** Whether a store outlives being closed; what does not is never durable. */
  readonly lasting: boolean
  open(directory: string): Promise<VarveStore>
}

const onDisk = (name: string, about: string, options: OpenStoreOptions): Layout => ({
  name,
  about,
  lasting: true,
  open: (directory) => openStore(directory, options),
})

export const layouts: readonly Layout[] = [
  onDisk('level', 'LevelDB, objects up to 32 KiB in it, a file for each above', {}),
  onDisk('level+files', 'LevelDB, a file for every object', { inlineMax: 0 }),
  onDisk('level-64k', 'LevelDB, objects up to 64 KiB in it', { inlineMax: 64 * 1024 }),
  { name: 'memory', about: 'all in memory; nothing is durable', lasting: false, open: () => memoryStore() },
]

export const layoutNamed = (name: string): Layout | undefined => layouts.find((layout) => layout.name === name)
