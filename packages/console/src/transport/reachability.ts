/** Whether the server answers. While it does not, the console asks every two seconds, so that it goes on by itself. */

import { signal } from '@preact/signals'
import type { Endpoint } from './endpoint.ts'
import { Unreachable } from './failures.ts'

export const isReachable = signal(true)

const pauseMs = 2000
let isAsking = false

/** Notes the outcome of a request. */
export function noteReachability(endpoint: Endpoint, error: unknown): void {
  const isAway = error instanceof Unreachable
  isReachable.value = !isAway
  if (isAway && !isAsking) void askUntilBack(endpoint)
}

async function askUntilBack({ url }: Endpoint): Promise<void> {
  isAsking = true
  while (!isReachable.value) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    try {
      const response = await fetch(`${url}/-/health`, { cache: 'no-store', credentials: 'omit' })
      // 503 is an answer, too: the server opens its store again.
      if (response.status < 500) isReachable.value = true
    } catch {
      // Still away.
    }
  }
  isAsking = false
}
