/** Folders that lead back to each other: a reader cannot understand one of them before the others. */
import { posix } from 'node:path'

export interface Import {
  readonly from: string
  readonly to: string
}

/** Each circle once: the folders of it, sorted. Imports within one folder make none. */
export function folderCircles(imports: readonly Import[]): readonly (readonly string[])[] {
  const next = graphOf(imports)
  const folders = [...next.keys()].sort()
  const reached = new Map(folders.map((folder) => [folder, reachableFrom(folder, next)]))
  const circles = new Map<string, readonly string[]>()
  for (const folder of folders) {
    const circle = folders.filter((other) => reached.get(folder)?.has(other) && reached.get(other)?.has(folder))
    if (circle.length > 1) circles.set(circle.join(), circle)
  }
  return [...circles.values()]
}

function graphOf(imports: readonly Import[]): ReadonlyMap<string, ReadonlySet<string>> {
  const next = new Map<string, Set<string>>()
  for (const { from, to } of imports) {
    const [folder, other] = [posix.dirname(from), posix.dirname(to)]
    if (folder === other) continue
    next.set(folder, (next.get(folder) ?? new Set()).add(other))
  }
  return next
}

function reachableFrom(folder: string, next: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const reached = new Set<string>()
  const waiting = [folder]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const other of next.get(at) ?? []) {
      if (reached.has(other)) continue
      reached.add(other)
      waiting.push(other)
    }
  }
  return reached
}
