export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * Completion scripts of the shells. All of them run `pintle __complete`, so that a newer pintle needs no new script. Each
 * line of its output is a word and, after a tab, a description; `:files` and `:folders` make the shell add paths.
 */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# pintle completion for bash: source <(pintle completion bash)
_pintle() {
  local line current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      :files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
      :folders) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
      ?*) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <("\${COMP_WORDS[0]}" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _pintle pintle
`,
  zsh: `#compdef pintle
# pintle completion for zsh: source <(pintle completion zsh), or write it to a folder of $fpath as _pintle
_pintle() {
  local line tab=$'\\t'
  local -a found
  for line in "\${(@f)$("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case "$line" in
      :files) _files ;;
      :folders) _files -/ ;;
      *$tab*) found+=("\${\${line%%$tab*}//:/\\\\:}:\${line#*$tab}") ;;
      ?*) found+=("\${line//:/\\\\:}") ;;
    esac
  done
  (( $#found )) && _describe pintle found
}
if [ "$funcstack[1]" = "_pintle" ]; then _pintle "$@"; else compdef _pintle pintle; fi
`,
  fish: `# pintle completion for fish: pintle completion fish | source
function __pintle_complete
  set -l before (commandline -opc)
  set -l current (commandline -ct)
  for line in ($before[1] __complete -- $before[2..-1] "$current" 2>/dev/null)
    switch $line
      case :files
        __fish_complete_path "$current"
      case :folders
        __fish_complete_directories "$current"
      case '*'
        echo $line
    end
  end
end
complete -c pintle -f -a '(__pintle_complete)'
`,
};
