import { type LayoutName, layouts } from '@varve/adapters'

const databases: readonly LayoutName[] = ['lmdb+files', 'sqlite+tiered']

/** Every pair of what Varve keeps by itself; of the databases, which keep blobs like any other, one each. */
export const testedLayouts: readonly LayoutName[] = layouts
  .filter(({ name, journal }) => journal === 'level' || journal === 'segments' || databases.includes(name))
  .map(({ name }) => name)
