/** The processes of this machine, as /proc shows them. */
import { readdirSync, readFileSync } from 'node:fs'

/** A process and all that it and its children have started, the process first. None for `undefined`. */
export function descendantsOf(pid) {
  if (pid === undefined) return []
  const parents = new Map(
    readdirSync('/proc')
      .map(Number)
      .filter((id) => id > 0)
      .map((id) => [id, Number(fieldsOf(id)?.[1])]),
  )
  const found = [pid]
  for (const id of found) for (const [child, parent] of parents) if (parent === id) found.push(child)
  return found
}

/** When a process began, in ticks since the machine did. `undefined` for one that has ended. */
export function startOf(pid) {
  const [state, ...fields] = fieldsOf(pid) ?? ['Z']
  return state === 'Z' ? undefined : fields[18]
}

/** From the state on: the name before it may have any character. */
function fieldsOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}
