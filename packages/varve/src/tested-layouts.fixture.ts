import { type LayoutName, layouts } from '@varve/adapters'

/** Every pair of what Varve keeps by itself; of the databases, which keep blobs like any other, one each. */
export const testedLayouts: readonly LayoutName[] = layouts
  .filter(({ name, journal }) => journal === 'level' || journal === 'segments' || name === 'sqlite+tiered')
  .map(({ name }) => name)
