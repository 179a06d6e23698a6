import { useEffect, useState } from 'react';
import { Store } from './store.ts';

export type Theme = 'light' | 'dark';

const KEY = 'pintle-theme';
const prefersDark = window.matchMedia('(prefers-color-scheme: dark)');

function initial(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === 'light' || kept === 'dark' ? kept : prefersDark.matches ? 'dark' : 'light';
}

export const theme = new Store<Theme>(initial());

export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.get();
}

theme.subscribe(applyTheme);
prefersDark.addEventListener('change', () => {
  if (localStorage.getItem(KEY) === null) theme.set(initial());
});

export function toggleTheme(): void {
  const next = theme.get() === 'dark' ? 'light' : 'dark';
  localStorage.setItem(KEY, next);
  theme.set(next);
}

const prefersStill = window.matchMedia('(prefers-reduced-motion: reduce)');

export const isStill = (): boolean => prefersStill.matches;

/** The time, anew every so often. */
export function useNow(everyMs = 1000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), everyMs);
    return () => window.clearInterval(timer);
  }, [everyMs]);
  return now;
}
