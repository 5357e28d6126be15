/** The route of the page, as a signal. */

import { signal } from '@preact/signals'
import { linkTo, parseRoute } from './route.ts'

export const route = signal(parseRoute(globalThis.location?.hash ?? ''))

/** Follows the address bar, from now on. */
export function startRouter(): void {
  addEventListener('hashchange', () => {
    route.value = parseRoute(location.hash)
  })
}

export function navigate(path: readonly string[], query?: Readonly<Record<string, string | undefined>>): void {
  location.hash = linkTo(path, query)
}
