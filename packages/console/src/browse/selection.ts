/** Which rows of a list are chosen: only rows that are shown. */

import { useEffect, useMemo, useState } from 'preact/hooks'

export interface Selection {
  readonly names: ReadonlySet<string>
  readonly toggle: (name: string) => void
  readonly clear: () => void
  readonly chooseAll: (names: readonly string[]) => void
}

export interface SelectableList<T> {
  readonly rows: readonly T[]
  readonly nameOf: (row: T) => string
  /** Rows that are missing while they are loaded keep their place in the selection, and count again when they are there. */
  readonly isLoading: boolean
}

export function useSelection<T>({ rows, nameOf, isLoading }: SelectableList<T>): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const shown = useMemo(() => new Set(rows.map(nameOf)), [rows])
  const names = useMemo(() => new Set([...chosen].filter((name) => shown.has(name))), [chosen, shown])
  useEffect(() => {
    if (!isLoading && names.size < chosen.size) setChosen(names)
  }, [names, isLoading])
  return {
    names,
    toggle: (name) =>
      setChosen((before) => {
        const after = new Set(before)
        if (!after.delete(name)) after.add(name)
        return after
      }),
    clear: () => setChosen(new Set()),
    chooseAll: (all) => setChosen(new Set(all)),
  }
}
