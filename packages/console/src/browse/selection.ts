/** Which rows of a list are chosen. */

import { useState } from 'preact/hooks'

export interface Selection {
  readonly names: ReadonlySet<string>
  readonly toggle: (name: string) => void
  readonly clear: () => void
  readonly chooseAll: (names: readonly string[]) => void
}

export function useSelection(): Selection {
  const [names, setNames] = useState<ReadonlySet<string>>(new Set())
  return {
    names,
    toggle: (name) =>
      setNames((before) => {
        const after = new Set(before)
        if (!after.delete(name)) after.add(name)
        return after
      }),
    clear: () => setNames(new Set()),
    chooseAll: (all) => setNames(new Set(all)),
  }
}
