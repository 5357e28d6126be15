/**
 * Long work: deletions, and what the server does as tasks. It goes on while a person looks at other pages, shows how far it is, and can
 * be stopped. Every long work of the console begins here.
 */

import { computed, effect, signal } from '@preact/signals'
import { showToast, type Toast } from '../components/toasts.tsx'
import { signedInAs } from '../session/session.ts'
import { arrivals } from '../uploads/upload-queue.ts'

export interface Work {
  readonly id: number
  /** What is done, such as `Deleting 3 objects`. */
  readonly title: string
  /** How far it is, such as `2,000 deleted`. */
  readonly text: string
  /** From 0 to 1, if the end is known. */
  readonly share: number | undefined
  readonly isStopping: boolean
  /** It stops when the page is closed. Tasks of the server go on. */
  readonly needsPage: boolean
}

export interface WorkControl {
  /** Aborts when the person stops the work, and for work that needs the page, at the end of the session. */
  readonly signal: AbortSignal
  /** True after the end of the session: the work is not shown any more. */
  isOver(): boolean
  progress(text: string, share?: number): void
}

export interface NewWork extends Pick<Work, 'title' | 'needsPage'> {
  /** Does the work, also after a stop, and returns what to tell the person about its end. */
  readonly run: (control: WorkControl) => Promise<Toast>
  /** Called at its end, however it ended. */
  readonly onEnd?: (() => void) | undefined
}

const all = signal<readonly Work[]>([])
const shown = signal<ReadonlySet<number>>(new Set())

/** The works that take long enough to be seen, the first one first. */
export const works = computed(() => all.value.filter(({ id }) => shown.value.has(id)))

/** True if the browser must ask before it leaves the page. */
export const needsPage = computed(() => all.value.some((work) => work.needsPage))

const controllers = new Map<number, AbortController>()
let lastId = 0

/** Shorter work shows its end alone. */
const shownAfterMs = 300

// Work ends with the session of the person who began it. Tasks of the server go on there.
effect(() => {
  void signedInAs.value
  const ended = all.peek()
  all.value = []
  for (const { id, needsPage: needs } of ended) {
    if (needs) controllers.get(id)?.abort()
    controllers.delete(id)
  }
})

export function startWork({ title, needsPage: needs, run, onEnd }: NewWork): void {
  const id = ++lastId
  const controller = new AbortController()
  controllers.set(id, controller)
  all.value = [...all.peek(), { id, title, text: '', share: undefined, isStopping: false, needsPage: needs }]
  setTimeout(() => (shown.value = new Set([...shown.peek(), id])), shownAfterMs)
  const progress = (text: string, share?: number): void => change(id, { text, share })
  void run({ signal: controller.signal, isOver: () => !controllers.has(id), progress })
    .catch((error: unknown): Toast => ({ kind: 'failed', text: `${title} failed. ${reasonOf(error)}` }))
    .then((toast) => {
      // Somebody else may be signed in now.
      if (!controllers.delete(id)) return
      all.value = all.peek().filter((work) => work.id !== id)
      showToast(toast)
      arrivals.value++
      onEnd?.()
    })
}

/** Stops a work after the step that it is at. */
export function stopWork(id: number): void {
  change(id, { isStopping: true })
  controllers.get(id)?.abort()
}

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function change(id: number, changed: Partial<Work>): void {
  all.value = all.peek().map((work) => (work.id === id ? { ...work, ...changed } : work))
}
