import { type ComponentChildren, createContext } from 'preact'
import { useCallback, useContext, useEffect, useState } from 'preact/hooks'
import { hasCode } from '../transport/failures.ts'

const Group = createContext<((what: string) => void) | undefined>(undefined)

/** Parts of a page that need permissions of their own. What the key may not see is said once, above all of them. */
export function Refusals({ children }: { readonly children: ComponentChildren }) {
  const [missing, setMissing] = useState<readonly string[]>([])
  const add = useCallback(
    (what: string) => setMissing((known) => (known.includes(what) ? known : [...known, what])),
    [],
  )
  return (
    <Group.Provider value={add}>
      {missing.length > 0 && (
        <p class="notice" role="status">
          Your key does not have the permission to see: {missing.join(', ')}. An administrator of the server can give
          it.
        </p>
      )}
      {children}
    </Group.Provider>
  )
}

/** True if the key lacks the permission, which the group around the part shows. */
export function useRefused(error: unknown, what: string): boolean {
  const add = useContext(Group)
  const isRefused = add !== undefined && hasCode(error, 'AccessDenied')
  useEffect(() => {
    if (isRefused) add(what)
  }, [isRefused, what])
  return isRefused
}
