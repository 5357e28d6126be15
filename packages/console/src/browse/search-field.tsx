import { useEffect, useId, useState } from 'preact/hooks'

const pauseMs = 250

/** Searches when the person pauses. */
export function SearchField({ onSearch }: { readonly onSearch: (text: string) => void }) {
  const [text, setText] = useState('')
  const id = useId()
  useEffect(() => {
    const timer = setTimeout(() => onSearch(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <div class="field search">
      <label for={id} class="visually-hidden">
        Find names that begin with
      </label>
      <input
        id={id}
        type="search"
        placeholder="Find names that begin with…"
        value={text}
        spellcheck={false}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </div>
  )
}
