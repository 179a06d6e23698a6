/** What generated parts of names are made of: no vowels, lest words come about, and nothing that is mistaken for another. */
export const WORDLESS_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
