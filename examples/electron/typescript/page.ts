/** The page: one note, saved when it changes. */
import type { Notes } from './bridge.js'

declare const notes: Notes

const area = document.querySelector('textarea')
const key = 'today'

async function show(): Promise<void> {
  const isThere = (await notes.list()).some((note) => note.key === key)
  if (area !== null) area.value = isThere ? await notes.read(key) : ''
}

area?.addEventListener('change', () => void notes.save(key, area.value))
document.querySelector('button')?.addEventListener('click', () => void notes.undo().then(show))
void show()
