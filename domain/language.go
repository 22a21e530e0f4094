package domain

// Kazakh names the language of shoppers who chose it, in events and cookies. Russian is the language where none is named.
const Kazakh = "kk"
