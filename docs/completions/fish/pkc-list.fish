complete -c pkc-list -w 'processkit-cli list'
