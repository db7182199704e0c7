complete -c pkc-prune -w 'processkit-cli prune'
