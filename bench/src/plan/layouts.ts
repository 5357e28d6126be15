/** What can be compared: every layout, by its own name, and stores with options that make a difference. */
import { layouts as allLayouts } from '@varve/adapters'
import { memoryStore } from 'varve'
import { openStore } from 'varve'
import type { OpenStoreOptions } from 'varve'
import type { Store } from 'varve'

export interface Layout {
  readonly name: string
  readonly about: string
  /** Whether the store still exists after it was closed; otherwise it is never durable. */
  readonly lasting: boolean
  /** Takes part only if the user names it. */
  readonly onlyNamed?: boolean
  open(directory: string): Promise<Store>
}

const onDisk = (name: string, about: string, options: OpenStoreOptions): Layout => ({
  name,
  about,
  lasting: true,
  open: (directory) => openStore(directory, options),
})

const variant = (name: string, about: string, options: OpenStoreOptions): Layout => ({
  ...onDisk(name, about, options),
  onlyNamed: true,
})

export const layouts: readonly Layout[] = [
  ...allLayouts.map(({ name, journal, blobs }) => ({
    ...onDisk(name, `journal ${journal}, blobs ${blobs}`, { layout: name }),
    // Layouts that may need a package take part only if the user names them.
    onlyNamed: journal === 'lmdb' || journal === 'sqlite',
  })),
  { name: 'memory', about: 'all in memory; nothing is durable', lasting: false, open: () => memoryStore() },
  variant('level+files@inline-0', 'as level+files, and a file for every object', { inlineMax: 0 }),
  variant('level+files@inline-64k', 'as level+files, up to 64 KiB in the journal', { inlineMax: 64 * 1024 }),
]

export const layoutNamed = (name: string): Layout | undefined => layouts.find((layout) => layout.name === name)
