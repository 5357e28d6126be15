/** Light or dark: as the system prefers it, until the person chooses. The choice lasts as long as the page. */

import { signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'

export const theme = signal<Theme>('system')

const next: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' }

export function switchTheme(): void {
  theme.value = next[theme.value]
  if (theme.value === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme.value
}
