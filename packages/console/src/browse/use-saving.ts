/** Saving for forms that stay on the page. */

import { useState } from 'preact/hooks'
import { showToast } from '../components/toasts.tsx'

export interface Saving {
  readonly isBusy: boolean
  readonly failure: unknown
  readonly save: (work: () => Promise<void>) => void
}

export function useSaving(onSaved: () => void): Saving {
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const run = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true)
    setFailure(undefined)
    try {
      await work()
      showToast({ text: 'Saved.' })
      onSaved()
    } catch (error) {
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, failure, save: (work) => void run(work) }
}
